/* Trajectories and results as other programs open them: h5py for every number and attribute;
   xarray and the netCDF library, which refuse datasets whose axes have no scales in reach, and
   ParaView's reader where they are installed. */
/* ranks: 1 */
/* needs: sprng */
/* lane: figures */
#include "repetitions.h"
#include "results_fixture.h"
#include "study_fixture.h"

#include <math.h>
#include <sys/stat.h>

/* Python, which is started once: modules take seconds to import. Of each line the words are modules
   that program.py needs, which runs in a process of its own. */
static const char server[] =
    "import os, sys, traceback\n"
    "for line in sys.stdin:\n"
    "  try:\n"
    "    for module in line.replace(',', ' ').split(): __import__(module)\n"
    "  except ImportError:\n"
    "    print('missing', flush=True)\n"
    "    continue\n"
    "  child = os.fork()\n"
    "  if not child:\n"
    "    status = 1\n"
    "    try:\n"
    "      exec(compile(open('program.py').read(), 'program.py', 'exec'), {})\n"
    "      status = 0\n"
    "    except BaseException: traceback.print_exc()\n"
    "    finally: os._exit(status)\n"
    "  print('passed' if os.waitpid(child, 0)[1] == 0 else 'failed', flush=True)\n";

static FILE *asked, *answer;

static void end_python(void) { pclose(asked); }

static void start_python(void) {
  FILE *f = fopen("server.py", "w");
  ck_assert(f && fputs(server, f) >= 0 && !fclose(f) && !mkfifo("answer", 0600));
  asked = popen("exec /usr/bin/python3 -W ignore server.py >answer", "w");
  answer = fopen("answer", "r");
  ck_assert(asked && answer && !atexit(end_python));
}

/* Runs a Python program that needs these modules; says so where they are not there. Builds that
   look for accesses look for none of Python's. */
static void run_python(const char *modules, const char *program) {
  char said[20] = "";
  if (looks_for_accesses())
    return;
  if (!asked)
    start_python();
  FILE *f = fopen("program.py", "w");
  ck_assert(f && fputs(program, f) >= 0 && !fclose(f));
  ck_assert(fprintf(asked, "%s\n", modules) > 0 && !fflush(asked));
  ck_assert(fgets(said, sizeof said, answer));
  if (strcmp(said, "missing\n") == 0)
    printf("python3 has no %s: not tried\n", modules);
  else
    ck_assert_str_eq(said, "passed\n");
}

/* ---- every system ---- */

static const struct {
  const char *configuration, *python;
} systems[] = {
    {"system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 0.1}}\n"
     "study: {kind: trajectory, step: 2^-6, steps: 64, every: 4, paths: 3,\n"
     "  observables: [hamiltonian, angular_momentum, casimir_departure]}\n",
     "check(t['state'], ['time', 'path', 'component'], 'inertia_unit time_unit^-1', (17, 3, 3))\n"
     "check(t['angular_momentum'], ['time', 'path', 'principal_axis'], 'inertia_unit "
     "time_unit^-1', (17, 3, 3))\n"
     "check(t['hamiltonian'], ['time', 'path'], 'inertia_unit time_unit^-2', (17, 3))\n"
     "check(t['casimir_departure'], ['time', 'path'], '1', (17, 3))\n"
     "assert labels('component') == ['x1', 'x2', 'x3'] and list(t['path']) == [0, 1, 2]\n"},
    {"system: {name: manakov, n: 5, noise: {sigma: 0.1}, initial: {random: {seed: 1, norm: 1}}}\n"
     "study: {kind: trajectory, step: 2^-6, steps: 64, every: 4, observables: [eigenvalues]}\n",
     "check(t['state'], ['time', 'component'], 'inertia_unit time_unit^-1', (17, 10))\n"
     "check(t['eigenvalues'], ['time', 'eigenvalue'], 'inertia_unit time_unit^-1', (17, 2))\n"
     "assert labels('component')[4] == 'x23' and list(t['eigenvalue']) == [1, 2]\n"},
    {"system: {name: point_vortices, gamma: [1, 1, 1], initial: {random: {seed: 2, norm: 1}}}\n"
     "study: {kind: trajectory, step: 2^-6, steps: 64, every: 4, paths: 2,\n"
     "  observables: [hamiltonian, moment, distance, centre_of_vorticity]}\n",
     "check(t['state'], ['time', 'path', 'vortex', 'direction'], '1', (17, 2, 3, 3))\n"
     "check(t['moment'], ['time', 'path', 'direction'], 'time_unit^-1', (17, 2, 3))\n"
     "check(t['centre_of_vorticity'], ['time', 'path', 'direction'], '1', (17, 2, 3))\n"
     "check(t['distance'], ['time', 'path', 'pair'], '1', (17, 2, 3))\n"
     "check(t['hamiltonian'], ['time', 'path'], 'time_unit^-2', (17, 2))\n"
     "assert labels('direction') == ['x', 'y', 'z'] and list(t['vortex']) == [1, 2, 3]\n"
     "assert labels('pair') == ['1-2', '1-3', '2-3']\n"
     "assert abs(np.linalg.norm(t['state'][...], axis=-1) - 1).max() < 1e-14\n"},
    {"system: {name: euler_zeitlin, N: 6, noise: {amplitude: 2},\n"
     "  initial: {random: {seed: 1, norm: 5}}}\n"
     "study: {kind: trajectory, step: 2^-6, steps: 64, every: 4, paths: 2,\n"
     "  observables: [hamiltonian]}\n",
     "check(t['state'], ['time', 'path', 'row', 'column'], 'time_unit^-1', (17, 2, 6, 6))\n"
     "x = t['state'][...]\n"
     "assert x.dtype == complex and list(t['row']) == [1, 2, 3, 4, 5, 6]\n"
     "assert abs(x + x.conj().swapaxes(-1, -2)).max() < 1e-14 and abs(x).max() > 0.1\n"
     "assert abs(np.linalg.norm(x[0, 0]) - 5) < 1e-13\n"}};

static const char h5py[] =
    "import h5py, numpy as np\n"
    "t = h5py.File('results.h5', 'r')['trajectory']\n"
    "def labels(name): return list(t[name].asstr())\n"
    "def check(d, axes, units, shape):\n"
    "  assert d.shape == shape, (d.name, d.shape)\n"
    "  assert [x[0].name for x in d.dims] == ['/trajectory/' + a for a in axes], d.name\n"
    "  assert d.attrs['units'] == units and d.attrs['long_name'], d.name\n"
    "for d in t.values(): assert d.attrs['long_name'] and d.attrs['units'], d.name\n"
    "assert t['time'].attrs['units'] == 'time_unit' and t['time'].attrs['axis'] == b'T'\n"
    "assert list(t['time']) == [k / 16 for k in range(17)]\n";

static const char xarray[] =
    "import h5py, xarray\n"
    "f = h5py.File('results.h5', 'r')['trajectory']\n"
    "for engine in 'h5netcdf', 'netcdf4':\n"
    "  d = xarray.open_dataset('results.h5', group='trajectory', engine=engine)\n"
    "  for name in f:\n"
    "    dims = (name,) if 'CLASS' in f[name].attrs else tuple(x[0].name[12:] for x in "
    "f[name].dims)\n"
    "    assert d[name].dims == dims, (engine, name, d[name].dims)\n"
    "    v = d[name].values\n"
    "    if v.dtype.names: v = v['r'] + 1j * v['i']\n"
    "    if v.dtype.kind != 'O': assert (v == f[name][...]).all(), name\n"
    "  assert d.time.attrs['units'] == 'time_unit'\n";

TEST_OVER(trajectories, sizeof systems / sizeof *systems) {
  char program[4000];
  run_well(NULL, "%s", systems[_i].configuration);
  snprintf(program, sizeof program, "%s%s", h5py, systems[_i].python);
  run_python("h5py", program);
  run_python("h5py, xarray, h5netcdf, netCDF4", xarray);
}

/* Whatever group one asks for, and what a run goes on from is there. */
static void assert_every_group_opens(void) {
  run_python("h5py",
             "import h5py\n"
             "def check(name, o):\n"
             "  if isinstance(o, h5py.Dataset) and o.attrs.get('CLASS') != b'DIMENSION_SCALE':\n"
             "    assert all(len(d) for d in o.dims), name\n"
             "h5py.File('results.h5', 'r').visititems(check)\n");
  run_python("h5py, xarray, h5netcdf, netCDF4",
             "import h5py, xarray\n"
             "f, group = h5py.File('results.h5', 'r'), [None]\n"
             "f.visititems(lambda n, o: group.append(n) if isinstance(o, h5py.Group) else None)\n"
             "assert 'restart' in group and f['restart/bytes'].dtype == 'u1'\n"
             "for g in group:\n"
             "  for engine in 'h5netcdf', 'netcdf4':\n"
             "    xarray.open_dataset('results.h5', group=g, engine=engine).load()\n");
}

TEST(convergence) {
  run_well(
      NULL,
      "system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 0.1}}\n"
      "study: {kind: convergence, coarsest_step: 2^-6, coarsest_steps: 4, levels: 3, reference: "
      "5,\n  paths: 200, functionals: [sin2pi, x1]}\n");
  run_python("h5py",
             "import h5py\n"
             "f = h5py.File('results.h5', 'r')\n"
             "assert f['strong/error'].attrs['units'] == 'inertia_unit time_unit^-1'\n"
             "assert f['weak/x1/error'].attrs['units'] == 'inertia_unit time_unit^-1'\n"
             "assert f['weak/sin2pi/standard_error'].attrs['units'] == '1'\n"
             "assert f['strong/local_order'].attrs['units'] == '1'\n"
             "assert list(f['health/step_with_reference']) == [2**-6, 2**-7, 2**-8, 2**-11]\n"
             "assert list(f['strong/step_between']) == [2**-6.5, 2**-7.5]\n");
  run_python("xarray, h5netcdf, netCDF4",
             "import xarray\n"
             "for engine in 'h5netcdf', 'netcdf4':\n"
             "  for group in 'levels', 'strong', 'weak/sin2pi', 'weak/x1', 'health':\n"
             "    d = xarray.open_dataset('results.h5', group=group, engine=engine)\n"
             "    n = 4 if group == 'health' else 3\n"
             "    assert d['step_with_reference' if n == 4 else 'step'].size == n\n"
             "  d = xarray.open_dataset('results.h5', group='strong', engine=engine)\n"
             "  assert d.error.dims == ('step',) and d.local_order.dims == ('step_between',)\n");
  assert_every_group_opens();
}

TEST(ensembles) {
  run_well(
      NULL,
      "system: {name: point_vortices, gamma: [1, 1, 1], noise: {sigma: 0.1}, initial: {random: "
      "{seed: 2, norm: 1}}}\n"
      "study: {kind: ensemble, step: 2^-6, steps: 64, every: 16, paths: 200, members: 3, bins: "
      "16,\n  quantiles: [0.5], observables: [hamiltonian, moment]}\n");
  run_python(
      "xarray, h5netcdf, netCDF4",
      "import xarray\n"
      "for engine in 'h5netcdf', 'netcdf4':\n"
      "  def load(group): return xarray.open_dataset('results.h5', group=group, engine=engine)\n"
      "  e, h, m = load('ensemble'), load('ensemble/hamiltonian'), load('ensemble/moment')\n"
      "  assert e.members.dims == ('time', 'member', 'vortex', 'direction')\n"
      "  assert list(e.time.values) == [0, 0.25, 0.5, 0.75, 1] and e.bin[15] == 15\n"
      "  assert h.histogram.dims == ('time', 'bin') and h['mean'].dims == ('time',)\n"
      "  assert m['mean'].dims == ('time', 'direction')\n"
      "  assert m['quantile'].dims == ('time', 'direction', 'probability')\n"
      "  assert m['variance'].attrs['units'] == '(time_unit^-1)^2'\n"
      "  n = h.histogram.sum('bin') + h.histogram_below + h.histogram_above\n"
      "  assert (n == 200).all()\n"
      "  assert h.sel(time=0.5, probability=0.5)['quantile'].size == 1\n"
      "  for statistic in 'mean', 'variance', 'minimum', 'maximum':\n"
      "    assert h[statistic].attrs['cell_methods'] == 'realization: ' + statistic\n"
      "  assert 'cell_methods' not in h.histogram.attrs\n"
      "  assert xarray.open_dataset('results.h5', engine=engine).attrs['Conventions'] == "
      "'CF-1.10'\n");
  run_well(NULL,
           "system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: "
           "0.1}}\n"
           "study: {kind: ensemble, step: 2^-6, steps: 64, every: 16, paths: 320, observables: "
           "[x1]}\n");
  assert_every_group_opens();
}

/* ---- text ---- */

/* Those that have paths and members in the file besides. */
static const char *const recording[] = {
    "kind: trajectory, step: 2^-5, steps: 8, paths: 3, observables: [x1, angular_momentum]",
    "kind: ensemble, step: 2^-5, steps: 8, every: 4, paths: 100, members: 3, ends: true, "
    "quantiles: [0.5], observables: [x1]"};
enum { RECORDING = sizeof recording / sizeof *recording };

/* Text of any length in UTF-8, which h5py gives as str, but for what HDF5 itself and ParaView ask
   for. */
TEST(text_is_of_one_type) {
  for (int i = 0; i < RECORDING + EVERY_STUDY; i++) {
    char name[40];
    run_well(NULL, STUDY_BODY "study: {%s}\n",
             i < RECORDING ? recording[i] : every_study[i - RECORDING]);
    snprintf(name, sizeof name, "text_of_%d.h5", i);
    keep_as(name);
  }
  run_python("h5py",
             "import glob, h5py\n"
             "def check(name, o):\n"
             "  global units\n"
             "  for key in o.attrs:\n"
             "    kind = h5py.check_string_dtype(o.attrs.get_id(key).dtype)\n"
             "    if kind and key not in ('CLASS', 'NAME', 'axis'):\n"
             "      assert kind.length is None and kind.encoding == 'utf-8', (name, key, kind)\n"
             "      assert isinstance(o.attrs[key], str), (name, key)\n"
             "      units += key == 'units'\n"
             "  if isinstance(o, h5py.Dataset) and h5py.check_string_dtype(o.dtype):\n"
             "    assert h5py.check_string_dtype(o.dtype).length is None, name\n"
             "files = glob.glob('text_of_*.h5')\n"
             "assert len(files) > 10, files\n"
             "for file in files:\n"
             "  f, units = h5py.File(file, 'r'), 0\n"
             "  check('/', f)\n"
             "  f.visititems(check)\n"
             "  assert units > 3, (file, units)\n");
}

/* ---- a map on the sphere ---- */

enum { RECORDS = 3, NORTH = 4, EAST = 8 };

static void write_map(int64_t paths) {
  static const double time[RECORDS] = {0, 0.5, 1}, north[NORTH] = {-60, -20, 20, 60},
                      east[EAST] = {0, 45, 90, 135, 180, 225, 270, 315};
  static double map[RECORDS * 2 * NORTH * EAST], energy[RECORDS * 2];
  const cas_file_dataset dataset[2] = {{.name = "vorticity",
                                        .long_name = "vorticity",
                                        .unit = "time_unit^-1",
                                        .axes = 2,
                                        .axis = {{.name = "latitude",
                                                  .long_name = "latitude",
                                                  .unit = "degrees_north",
                                                  .length = NORTH,
                                                  .coordinates = north},
                                                 {.name = "longitude",
                                                  .long_name = "longitude",
                                                  .unit = "degrees_east",
                                                  .length = EAST,
                                                  .coordinates = east}}},
                                       {.name = "hamiltonian", .long_name = "energy", .unit = "1"}};
  const cas_trajectory_layout layout = {
      .records = RECORDS, .time = time, .paths = paths, .datasets = 2, .dataset = dataset};
  const double *const values[2] = {map, energy};
  cas_results r = make_results(0);
  cas_trajectory_file *f;
  cas_error err = {0};
  for (size_t i = 0; i < sizeof map / sizeof *map; i++)
    map[i] = (double)i;
  assert_ok(cas_trajectory_create("results.h5", &layout, MPI_COMM_WORLD, &f, &err), err);
  assert_ok(cas_trajectory_write(f, 0, RECORDS, 0, paths, values, &err), err);
  assert_ok(cas_trajectory_close(f, &r, &err), err);
  cas_results_free(&r);
}

/* ParaView's reader sees the root only, and of text attributes those of fixed length only. */
TEST_OVER(maps, 2) {
  write_map(1 + _i);
  run_python("h5py",
             "import h5py\n"
             "f = h5py.File('results.h5', 'r')\n"
             "t = f['trajectory']\n"
             "for name in 'vorticity', 'time', 'latitude', 'longitude': assert f[name] == t[name]\n"
             "assert 'hamiltonian' not in f and ('path' in f) == ('path' in t)\n"
             "for name, units, axis in (('latitude', 'degrees_north', b'Y'), ('longitude', "
             "'degrees_east', b'X'),\n"
             "                          ('time', 'time_unit', b'T')):\n"
             "  assert f[name].attrs['units'] == units and f[name].attrs['axis'] == axis\n");
  run_python("h5py, xarray, h5netcdf, netCDF4",
             "import h5py, xarray\n"
             "v = h5py.File('results.h5', 'r')['vorticity'][...]\n"
             "for engine in 'h5netcdf', 'netcdf4':\n"
             "  for group in None, 'trajectory':\n"
             "    d = xarray.open_dataset('results.h5', group=group, engine=engine)\n"
             "    assert d.vorticity.dims[-2:] == ('latitude', 'longitude')\n"
             "    assert d.vorticity.dims[0] == 'time' and (d.vorticity.values == v).all()\n");
  run_python(
      "vtkmodules.vtkIONetCDF",
      "from vtkmodules.vtkIONetCDF import vtkNetCDFCFReader\n"
      "from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline as S\n"
      "r = vtkNetCDFCFReader()\n"
      "r.SetFileName('results.h5')\n"
      "r.Update()\n"
      "assert r.GetOutputInformation(0).Get(S.TIME_STEPS()) == (0, 0.5, 1)\n"
      "assert r.GetOutput().GetCellData().GetArray('vorticity')\n"
      "assert max(map(abs, r.GetOutput().GetBounds())) < 3\n");
}

RUN_TESTS_WITH_MPI
