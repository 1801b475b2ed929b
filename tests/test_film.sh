#!/bin/sh
# Films: a frame for every record, one colour scale and one view for all; whole or not there, whatever comes between.
# lane: figures
# needs: sprng
. "$SOURCE_DIR/tests/plot_checks.sh"
results tracks few
runs zonal.yaml --output zonal.h5 --set study.every=16

# an encoder that counts what it is given, beside the true Python and without the true ffmpeg
mkdir fake none
ln -s "$python" fake/python3
ln -s "$python" none/python3
cat >fake/ffmpeg <<EOS
#!/bin/sh
PATH=/usr/bin:/bin
echo "\$\$" >$PWD/encoder.pid
printf '%s\n' "\$*" >$PWD/encoder.arguments
for film; do :; done
printf '\0\0\0\040ftypisom' >"\${film#file:}"
ls frame-*.png | wc -l >$PWD/encoder.frames
[ ! -e $PWD/encoder.stalls ] || { trap '' TERM && sleep 600; }
[ ! -e $PWD/encoder.fails ] || { echo "no codec" >&2; exit 1; }
EOS
chmod +x fake/ffmpeg
film() { PATH=$PWD/fake "$CASIMIR" plot "$@"; }
without() { PATH=$PWD/none "$CASIMIR" plot "$@"; }

ends 0 '' film tracks.h5 --film tracks.mp4 --frames frames --width 84 --fps 12
[ "$(cat encoder.frames)" -eq 3 ] && grep -q -- '-framerate 12 .*-frames:v 3 ' encoder.arguments ||
  fail "three records are three frames, 12 a second: $(ls frames), $(cat encoder.arguments)"
[ "$(od -An -c -j4 -N4 tracks.mp4 | tr -d ' ')" = ftyp ] && [ ! -e tracks.mp4.tmp ] || fail "the film is not in place: $(ls)"
! cmp -s frames/frame-00002.png frames/frame-00003.png || fail "frames are all the same"
ends 0 '' film tracks.h5 --frames again --width 84
cmp frames/frame-00003.png again/frame-00003.png || fail "frames without a film are others"
ends 0 '' film few.h5 --film few.mp4 # of members
[ "$(cat encoder.frames)" -eq 2 ] || fail "two frames of members: $(cat encoder.frames)"

# gone: neither a film nor a part of one, nor an encoder that goes on
gone() {
  [ ! -e other.mp4 ] && [ ! -e other.mp4.tmp ] || fail "$1: leaves $(ls other*)"
  [ ! -e encoder.pid ] || ! is_running "$(cat encoder.pid)" || fail "$1: the encoder goes on"
}
# interrupted FILE FRAME PATTERN: asked to leave once this frame, or the encoder, is there
interrupted() {
  rm -f encoder.pid
  (unset CASIMIR_PYTHON && PATH=$PWD/fake exec "$CASIMIR" plot "$1" --film other.mp4 --frames some 2>messages) &
  process=$!
  await test -s "$2"
  kill -TERM $process
  ended 75 "$1, interrupted"
  grep -q "$3; there is no film" messages || fail "$1, interrupted: $(cat messages)"
  gone "asked to leave: $3"
}

# what was there stays where ffmpeg fails; an encoder that stalls is ended, and keeps no command that is asked to leave
cp tracks.mp4 before.mp4
touch encoder.fails
ends 5 'ffmpeg did not make the film: no codec' film few.h5 --film tracks.mp4
cmp tracks.mp4 before.mp4 || fail "a failure has changed the film that was there"
mv encoder.fails encoder.stalls
ends 5 'ffmpeg did not make the film: it did not end within 2 s and was ended' \
  draws_alone PATH="$PWD/fake" CASIMIR_PATIENCE=2 "$CASIMIR" plot few.h5 --film other.mp4
gone "an encoder that stalls"
interrupted few.h5 encoder.pid 'interrupted after 2 of 2 frames, while ffmpeg made a film of them'
rm -r encoder.stalls some
"$CASIMIR" run tracks.yaml --quiet --output long.h5 --set study.every=1 --set study.steps=640 >/dev/null || fail "long"
interrupted long.h5 some/frame-00002.png 'interrupted after [0-9]* of 641 frames'
for frame in some/*.png; do begins "$frame" PNG; done

# without ffmpeg: what helps; frames that were asked for are drawn, and how to make a film of them
ends 5 'ffmpeg was not found on the PATH; films need it \(Debian: apt-get install ffmpeg\)' without tracks.h5 --film other.mp4
ends 5 'the frames are in kept, and where it is installed .* -framerate 25 -i kept/frame-%05d.png' \
  without few.h5 --film other.mp4 --frames kept
[ "$(find kept -name '*.png' | wc -l)" -eq 2 ] || fail "kept: $(ls kept)"

# of maps: strong at the end and pale at first, in one scale
"$python" - <<'EOS' || fail "maps.h5"
import h5py, shutil
import numpy as np
shutil.copy("zonal.h5", "maps.h5")
with h5py.File("maps.h5", "r+") as f:
    field = f["trajectory/vorticity"]
    field[...] = np.arange(1.0, 1 + len(field)).reshape(-1, *[1] * (field.ndim - 1))
EOS
for view in '' '--view 40,22'; do
  ends 0 '' film maps.h5 --unsealed --frames maps --width 84 $view
  "$python" - maps/frame-000*.png <<'EOS' || fail "one colour scale: $view"
import sys
from PIL import Image
images = [Image.open(name).convert("RGB") for name in sys.argv[1:]]
found = [image.getpixel((image.width * 2 // 5, image.height * 2 // 5)) for image in images]
red = [p[0] - p[2] for p in found]
assert 0 < red[0] < red[2] and len(found) == 5 and found[-1] == (103, 0, 31), found
EOS
done

# what there is no film of
ends 2 'nothing that there is a film of; there are those of: members' film few.h5 --picture ensemble --film other.mp4
ends 2 'must end in .mp4' film tracks.h5 --film other.gif
ends 2 'must be from 1 to 120' film tracks.h5 --film other.mp4 --fps 0
ends 2 'a film is of one results file; found 2' film tracks.h5 long.h5 --film other.mp4
ends 2 'draw every record: no --output' film tracks.h5 --film other.mp4 --output other.svg
ends 3 'other.mp4' film tracks.h5 --film nowhere/other.mp4
gone "what was refused"

# the true encoder, where it is; names that could be options or addresses of a network
if command -v ffmpeg >/dev/null && command -v ffprobe >/dev/null; then
  for name in true.mp4 -true.mp4 http:true.mp4 'a%d b.mp4'; do
    ends 0 '' "$CASIMIR" plot few.h5 --film "$name" --frames 'of %d' --width 84 --fps 5
    cmp "./$name" true.mp4 || fail "a film named $name"
  done
  [ "$(ffprobe -loglevel error -show_entries stream=codec_name,nb_frames,r_frame_rate -of csv=p=0 true.mp4)" = h264,5/1,2 ] ||
    fail "true.mp4: $(ffprobe -loglevel error -show_streams true.mp4)"
else
  echo "skipped: films by the true ffmpeg, which is not installed"
fi
