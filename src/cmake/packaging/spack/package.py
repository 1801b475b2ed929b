from spack.package import *


class Casimir(CMakePackage):
    """Ensembles and convergence studies of stochastic Lie-Poisson systems."""

    homepage = "SOURCE"
    url = "SOURCE/casimir-0.2.0.tar.gz"

    license("BSD-3-Clause")
    version("0.2.0", sha256="SHA256")

    variant("shared", default=False, description="libcasimir as a shared library")
    variant("plot", default=True, description="Python with matplotlib and h5py, which figures need")

    depends_on("c", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("hdf5@1.10:+mpi+hl")
    depends_on("blas")
    depends_on("lapack")
    depends_on("random123", type="build")
    depends_on("libyaml")
    depends_on("python@3.9:", type="run", when="+plot")
    depends_on("py-matplotlib", type="run", when="+plot")
    depends_on("py-h5py", type="run", when="+plot")

    def cmake_args(self):
        return [
            self.define("BUILD_TESTING", False),
            self.define("CASIMIR_SPRNG", False),  # SPRNG 2.0 is not in Spack
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
        ]
