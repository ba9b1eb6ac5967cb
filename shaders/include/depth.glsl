#include "frame.glsl"

uniform sampler2D scene_depth;

// Forward depth in metres of a stored depth: the near band fills 0…0.5, the far band 0.5…1, the sky is 1.
float scene_forward_m(vec2 uv) {
    float stored = texture(scene_depth, uv).r;
    if (stored >= 1.0) {
        return 1e9;
    }
    bool is_near = stored < 0.5;
    vec2 planes = is_near ? bands.xy : bands.zw;
    float ndc = (is_near ? stored : stored - 0.5) * 4.0 - 1.0;
    return 2.0 * planes.x * planes.y / (planes.x + planes.y - ndc * (planes.y - planes.x));
}
