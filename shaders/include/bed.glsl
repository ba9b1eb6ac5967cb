#include "frame.glsl"

uniform sampler2DArray bed_heights;  // maps around the camera, fine to coarse; metres over zero

// Height of the land at camera-relative `place`, metres over zero; far below everything where it is not known.
float bed_at(vec2 place) {
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
}
