#include "frame.glsl"

uniform sampler2D noise_tile;  // R broad, G grain, B and A slope of a middle fBm

// World position of camera-relative `place` modulo TILE_PERIOD_M, continuous within a frame.
vec2 tile_position(vec2 place) {
    return place + camera.xz + vec2(anchor.xy);
}

// Texture coordinates that repeat every TILE_PERIOD_M exactly: any whole-number pair (a, b) turns the tile by
// atan(b/a) and repeats it |(a, b)| times, so scales can be turned against each other without a seam.
vec2 tile_uv(vec2 world, vec2 turn) {
    return vec2(turn.x * world.x - turn.y * world.y, turn.y * world.x + turn.x * world.y) / TILE_PERIOD_M;
}

// Slope along world x and z of a tile turned by `turn`, about −1…1.
vec2 tile_slope(vec4 texel, vec2 turn) {
    vec2 d = texel.ba * 2.0 - 1.0;
    return vec2(turn.x * d.x + turn.y * d.y, -turn.y * d.x + turn.x * d.y) / length(turn);
}

// Thickness 0…1 of the clouds over a point of their layer, in tile coordinates.
float cloud_thickness(vec2 uv) {
    float body = texture(noise_tile, uv).r;
    float ragged = texture(noise_tile, uv * 7.0 + 0.31).r;
    // Rain clouds close the gaps.
    return smoothstep(0.56 - 0.70 * overcast, 0.86 - 0.50 * overcast, body + 0.26 * (ragged - 0.5));
}
