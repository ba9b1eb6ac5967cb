#include "frame.glsl"

// The CDLOD morph factor of a vertex at camera-relative `place` (x, z) on `level`: 0 own, 1 parent.
// The same float32 formula as lod/selection.py; the coarsest level never morphs.
float morph_factor(vec2 place, int level) {
    vec4 band = levels[level];
    float reach = sqrt(place.x * place.x + place.y * place.y + altitude * altitude);
    float k = (reach - band.y) / band.z;
    return band.w < 0.5 ? 0.0 : clamp(k, 0.0, 1.0);
}

// Own or parent, exactly, at the ends: a mix would leave rounding, and rounding is a crack.
float morph_mix(float own, float parent, float k) {
    return k <= 0.0 ? own : (k >= 1.0 ? parent : mix(own, parent, k));
}

vec2 morph_mix(vec2 own, vec2 parent, float k) {
    return k <= 0.0 ? own : (k >= 1.0 ? parent : mix(own, parent, k));
}
