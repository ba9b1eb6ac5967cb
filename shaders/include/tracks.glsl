#include "frame.glsl"
#include "tile.glsl"

// What the rider's tyres printed: see game/kernels/tracks.py for the texels. How deep a print goes is up to the ground.
uniform sampler2D track_marks;  // R nearness to the middle, G time code, B and A way along
uniform sampler2D track_wear;   // how often wheels passed
uniform vec4 tracks;            // camera modulo the span of the wear, x and z; time code now or −1; what time left of the wear

struct Track {
    float press;  // 0 untouched … 1 under the tyre
    float tread;  // the tyre's knobs, about −1…1
    vec2 slope;   // of the print's walls, per metre of depth
    float worn;   // 0 … 1: a path
};

// Way along a track, 0…1, from its two texels.
float track_turn(vec2 mark) {
    vec2 d = mark * 2.0 - 1.0;
    float a = d.x / max(abs(d.x) + abs(d.y), 1e-3);
    return d.y >= 0.0 ? 0.25 * (1.0 - a) : 0.25 * (3.0 + a);
}

// How much of the strip of width `pixel_m` around here lies under the tyre; `nearness` as it is stored.
float under_tyre(float nearness, float pixel_m) {
    float away = MARK_REACH_M * sqrt(1.0 - nearness);
    float edge = max(0.010, pixel_m);
    float near = clamp((TYRE_M - away) / edge + 0.5, 0.0, 1.0) * step(0.004, nearness);
    // Smaller than a pixel it is the mean of what is there.
    return mix(near, nearness * (1.5 * TYRE_M / MARK_REACH_M), smoothstep(0.03, 0.09, pixel_m));
}

vec2 track_uv(vec2 place, float span_m) {
    return (place + tracks.xy) / span_m;
}

Track track_at(vec2 place, float pixel_m) {
    Track found = Track(0.0, 0.0, vec2(0.0), 0.0);
    if (tracks.z < 0.0) return found;
    float away = max(abs(place.x), abs(place.y));
    if (away >= WEAR_END_M) return found;
    float passes = texture(track_wear, track_uv(place, WEAR_SPAN_M)).r * WEAR_PASSES * tracks.w;
    passes *= 1.0 - smoothstep(0.8 * WEAR_END_M, WEAR_END_M, away);
    found.worn = smoothstep(1.2, 5.0, passes);
    float close = 1.0 - smoothstep(0.7 * MARKS_END_M, MARKS_END_M, away);
    // Bent and scattered beside the tyres; farther than single prints can be told apart it is all that is seen.
    found.press = mix(0.30, 0.20, close) * clamp(passes, 0.0, 1.0);
    if (close > 0.0) {
        vec2 uv = track_uv(place, MARKS_SPAN_M);
        vec4 mark = texture(track_marks, uv);
        // Times are no quantity to interpolate.
        float laid = texelFetch(track_marks, ivec2(fract(uv) * float(MARKS_SIDE)), 0).g * 255.0;
        float fresh = 1.0 - smoothstep(0.35, 1.0, mod(tracks.z - laid + 256.0, 256.0) / TRACK_CODES);
        float press = under_tyre(mark.r, pixel_m);
#if DETAIL > 0
        float knob = smoothstep(0.035, 0.012, pixel_m);
        float turn = track_turn(mark.ba);
        float across = (1.0 - mark.r) * (MARK_REACH_M * MARK_REACH_M / (TYRE_M * TYRE_M));
        found.tread = sin((turn * 8.0 + 0.35 * across) * 6.2832) * knob * press * fresh;
        const float STEP_M = 0.012;
        float east = under_tyre(texture(track_marks, uv + vec2(STEP_M / MARKS_SPAN_M, 0.0)).r, pixel_m);
        float south = under_tyre(texture(track_marks, uv + vec2(0.0, STEP_M / MARKS_SPAN_M)).r, pixel_m);
        found.slope = vec2(press - east, press - south) / STEP_M * fresh * close;
#endif
        found.press = max(found.press, press * fresh * close);
    }
    return found;
}

// How far what grows at `place` is trodden down, 0…1. For vertex stages.
float trodden(vec2 place) {
    if (tracks.z < 0.0) return 0.0;
    float away = max(abs(place.x), abs(place.y));
    if (away >= WEAR_END_M) return 0.0;
    float passes = textureLod(track_wear, track_uv(place, WEAR_SPAN_M), 0.0).r * WEAR_PASSES * tracks.w;
    float low = smoothstep(0.15, 1.0, passes) * 0.45 + 0.5 * smoothstep(1.0, 4.0, passes);
    low *= 1.0 - smoothstep(0.8 * WEAR_END_M, WEAR_END_M, away);
    if (away < MARKS_END_M) {
        vec2 uv = track_uv(place, MARKS_SPAN_M);
        vec2 mark = textureLod(track_marks, uv, 0.0).rg;
        float laid = texelFetch(track_marks, ivec2(fract(uv) * float(MARKS_SIDE)), 0).g * 255.0;
        float fresh = 1.0 - smoothstep(0.35, 1.0, mod(tracks.z - laid + 256.0, 256.0) / TRACK_CODES);
        low = max(low, 0.8 * smoothstep(0.15, 0.7, mark.r) * fresh * (1.0 - smoothstep(0.7 * MARKS_END_M, MARKS_END_M, away)));
    }
    return low;
}
