#include "frame.glsl"

uniform sampler2DArray bed_heights;  // maps around the camera, fine to coarse; metres over zero

// Height of the land at camera-relative `place`, metres over zero; far below everything where it is not known.
float bed_at(vec2 place) {
#if DETAIL == 0
    // The finest map that has it, read once.
    vec3 from = vec3(-1.0);
    for (int n = BED_MAPS - 1; n >= 0; --n) {
        vec2 texel = (place - bed[n].xy) * bed[n].z;
        vec2 inside = min(texel, BED_SIDE - 1.0 - texel);
        if (bed[n].w * min(inside.x, inside.y) > 0.0) from = vec3((texel + 0.5) / BED_SIDE, float(n));
    }
    float found_m = textureLod(bed_heights, from, 0.0).r;
    return from.z < 0.0 ? -3e4 : found_m;
#else
    float found = 0.0, left = 1.0;
    for (int n = 0; n < BED_MAPS; ++n) {
        vec2 texel = (place - bed[n].xy) * bed[n].z;
        vec2 inside = min(texel, BED_SIDE - 1.0 - texel);
        float room = bed[n].w * min(inside.x, inside.y);
        if (room <= 0.0) continue;
        // Near its rim a map gives way to the next.
        float share = left * (n == BED_MAPS - 1 ? 1.0 : clamp(room / 24.0, 0.0, 1.0));
        found += share * texture(bed_heights, vec3((texel + 0.5) / BED_SIDE, float(n))).r;
        left -= share;
        if (left < 0.004) break;
    }
    return left > 0.5 ? -3e4 : found / (1.0 - left);
#endif
}
