#!/bin/sh
# Films: a frame for every record, one colour scale and one view for all; whole or not there, whatever comes between.
# lane: figures
# needs: sprng
set -u
. "$SOURCE_DIR/tests/plot_checks.sh"

# an encoder that counts what it is given, beside the true Python and without the true ffmpeg
mkdir fake none
ln -s "$python" fake/python3
ln -s "$python" none/python3
cat >fake/ffmpeg <<'EOS'
#!/bin/sh
PATH=/usr/bin:/bin
echo "$$" >encoder.pid
printf '%s\n' "$*" >encoder.arguments
for film; do :; done
printf '\0\0\0\040ftypisom' >"${film#file:}"
size=$(printf '%s' "$*" | sed 's/.* -s \([0-9]*\)x\([0-9]*\) .*/\1*\2*4/')
[ ! -e encoder.stalls ] || { trap '' TERM && sleep 600; }
echo $(($(wc -c) / ($size))) >encoder.frames
[ ! -e encoder.fails ] || { echo "no codec" >&2; exit 1; }
EOS
chmod +x fake/ffmpeg
film() { PATH=$PWD/fake "$CASIMIR" plot "$@"; }
without() { PATH=$PWD/none "$CASIMIR" plot "$@"; }

cat >body.yaml <<'EOS'
system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: 0.1}}
study: {kind: trajectory, step: 2^-5, steps: 64, every: 32}
EOS
"$CASIMIR" run body.yaml --quiet --output body.h5 >/dev/null || fail "body"
expect 0 '' film body.h5 --film body.mp4 --frames frames --width 84 --fps 12
[ "$(cat encoder.frames)" -eq 3 ] && [ "$(find frames -name 'frame-0000[1-3].png' | wc -l)" -eq 3 ] || fail "three records are three frames: $(ls frames)"
grep -q -- '-framerate 12 ' encoder.arguments || fail "12 frames a second: $(cat encoder.arguments)"
[ "$(od -An -c -j4 -N4 body.mp4 | tr -d ' ')" = ftyp ] && [ ! -e body.mp4.tmp ] || fail "the film is not in place: $(ls)"
for i in 1 2 3; do begins "frames/frame-0000$i.png" PNG; done
! cmp -s frames/frame-00002.png frames/frame-00003.png || fail "frames are all the same"
expect 0 '' film body.h5 --frames again --width 84
cmp frames/frame-00003.png again/frame-00003.png || fail "frames without a film are others"

# what was there stays where ffmpeg fails, and nothing else is left
cp body.mp4 before.mp4
touch encoder.fails
expect 5 'ffmpeg did not make the film: no codec' film body.h5 --film body.mp4
cmp body.mp4 before.mp4 || fail "a failure has changed the film that was there"
expect 5 'ffmpeg did not make the film' film body.h5 --film other.mp4
[ ! -e other.mp4 ] && [ ! -e other.mp4.tmp ] || fail "a failure leaves $(ls other*)"
rm encoder.fails
# an encoder that reads nothing is ended, and named
touch encoder.stalls
expect 5 'ffmpeg did not make the film: it took no frame for 2 s and was ended' env PATH="$PWD/fake" CASIMIR_PATIENCE=2 "$CASIMIR" plot body.h5 --film other.mp4
! is_running "$(cat encoder.pid)" && [ ! -e other.mp4 ] || fail "an encoder that stalls goes on"
# nor does it keep a command that is asked to leave, though it does not leave itself
rm encoder.pid
(PATH=$PWD/fake exec "$CASIMIR" plot body.h5 --film other.mp4 2>messages) &
pid=$!
await test -s encoder.pid
sleep 3
kill -TERM $pid
wait $pid
status=$?
[ $status -eq 75 ] && grep -q 'interrupted after [0-9]* of 3 frames, while ffmpeg took nothing for [0-9]* s; there is no film' messages ||
  fail "asked to leave while an encoder stalls: status $status, $(cat messages)"
! is_running "$(cat encoder.pid)" && [ ! -e other.mp4 ] && [ ! -e other.mp4.tmp ] || fail "asked to leave: an encoder that stalls goes on"
rm encoder.stalls

# without ffmpeg: what helps; frames that were asked for are drawn, and how to make a film of them
expect 5 'ffmpeg was not found on the PATH; films need it (Debian: apt-get install ffmpeg)' without body.h5 --film other.mp4
expect 5 'the frames are in kept, and where it is installed .* -framerate 25 -i kept/frame-%05d.png' without body.h5 --film other.mp4 --frames kept
[ "$(find kept -name '*.png' | wc -l)" -eq 3 ] && [ ! -e other.mp4 ] || fail "kept: $(ls kept)"

# interrupted: no film, no half of one, no encoder that goes on
"$CASIMIR" run body.yaml --quiet --output long.h5 --set study.every=1 --set study.steps=640 >/dev/null || fail "long"
(PATH=$PWD/fake exec "$CASIMIR" plot long.h5 --film long.mp4 --frames some 2>messages) &
pid=$!
await test -e some/frame-00002.png || fail "no frames: $(cat messages)"
kill -TERM $pid
wait $pid
status=$?
[ $status -eq 75 ] && grep -q 'interrupted after [0-9]* of 641 frames[^;]*; there is no film' messages || fail "interrupted: status $status, $(cat messages)"
[ ! -e long.mp4 ] && [ ! -e long.mp4.tmp ] || fail "an interruption leaves $(ls long*)"
! kill -0 "$(cat encoder.pid)" 2>/dev/null || fail "the encoder goes on"
for frame in some/*; do begins "$frame" PNG; done

# of maps: strong at the end and pale at first, in one scale
"$python" - body.h5 <<'EOS' || fail "maps.h5"
import sys, h5py
import numpy as np
with h5py.File(sys.argv[1]) as body, h5py.File("maps.h5", "w") as f:
    for name, value in body.attrs.items():
        f.attrs[name] = value
    body.copy("health", f)
    t = f.create_group("trajectory")
    t["time"] = np.arange(3.0)
    t["latitude"], t["longitude"] = np.arange(-85, 90, 10.0), np.arange(0, 360, 10.0)
    t["vorticity"] = (t["time"][:] + 1)[:, None, None] * np.ones((18, 36))
EOS
for view in '' '--view 40,22'; do
  # shellcheck disable=SC2086 # an option and its argument
  expect 0 '' film maps.h5 --unsealed --frames maps --width 84 $view
  "$python" - maps/frame-0000[123].png <<'EOS' || fail "one colour scale: $view"
import sys
from PIL import Image
found = []
for name in sys.argv[1:]:
    image = Image.open(name)
    found.append(image.getpixel((image.width * 2 // 5, image.height * 2 // 5)))
red = [p[0] - p[2] for p in found]
assert 20 < red[0] < red[1] and found[2] == (103, 0, 31), found
EOS
done

# of members, and what there is no film of
cat >ensemble.yaml <<'EOS'
system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: 0.1}}
study: {kind: ensemble, step: 2^-3, steps: 8, every: 4, paths: 8, members: 5, observables: [hamiltonian]}
EOS
"$CASIMIR" run ensemble.yaml --quiet --output ensemble.h5 >/dev/null || fail "ensemble"
expect 0 '' film ensemble.h5 --film ensemble.mp4
[ "$(cat encoder.frames)" -eq 3 ] || fail "three frames of members: $(cat encoder.frames)"
expect 2 'nothing that there is a film of; there are those of: members' film ensemble.h5 --picture ensemble --film other.mp4
expect 2 'must end in .mp4' film body.h5 --film other.gif
expect 2 'must be from 1 to 120' film body.h5 --film other.mp4 --fps 0
expect 2 'a film is of one results file; found 2' film body.h5 long.h5 --film other.mp4
expect 2 'draw every record: no --output' film body.h5 --film other.mp4 --output other.svg
expect 3 'other.mp4' film body.h5 --film nowhere/other.mp4
[ ! -e other.mp4 ] || fail "a film of what was refused"

# the true encoder, where it is
if command -v ffmpeg >/dev/null && command -v ffprobe >/dev/null; then
  expect 0 '' "$CASIMIR" plot body.h5 --film true.mp4 --width 84 --fps 5
  [ "$(ffprobe -loglevel error -show_entries stream=codec_name,nb_frames,r_frame_rate -of csv=p=0 true.mp4)" = h264,5/1,3 ] ||
    fail "true.mp4: $(ffprobe -loglevel error -show_streams true.mp4)"
  # names that could be options or addresses of a network
  for name in -true.mp4 http:true.mp4 'a%d b.mp4'; do
    expect 0 '' "$CASIMIR" plot body.h5 --film "$name" --width 84 --fps 5
    cmp "./$name" true.mp4 || fail "a film named $name"
  done
else
  echo "skipped: films by the true ffmpeg, which is not installed"
fi
[ "$failures" -eq 0 ]
