// The part of the target where a ray can meet the sea: below the horizon of an eye over the water, all of it for
// one below. A software renderer does not leave a discarded pixel early, so those above are not made at all.
#include "frame.glsl"

out vec3 v_ray;   // camera-relative direction with forward depth 1
out vec2 v_uv;

void main() {
    float top = 1.0;
    if (sea.z <= 0.0 && ray_up.y > 1e-4) {
        // Rays rise linearly over the target: where they are level at its left and right edge.
        float level = (abs(ray_right.y) - ray_forward.y) / ray_up.y;
        top = clamp(level + 2.0 * viewport.w, -1.0, 1.0);
    }
    int n = gl_VertexID;
    bool right = n == 1 || n == 2 || n == 4, high = n == 2 || n == 4 || n == 5;
    vec2 corner = vec2(right ? 1.0 : -1.0, high ? top : -1.0);
    v_ray = ray_forward.xyz + corner.x * ray_right.xyz + corner.y * ray_up.xyz;
    v_uv = corner * 0.5 + 0.5;
    gl_Position = vec4(corner, 1.0, 1.0);
}
