// One triangle over the whole target; no vertex buffer.
#include "frame.glsl"

out vec3 v_ray;   // camera-relative direction with forward depth 1
out vec2 v_uv;

void main() {
    vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
    v_ray = ray_forward.xyz + corner.x * ray_right.xyz + corner.y * ray_up.xyz;
    v_uv = corner * 0.5 + 0.5;
    gl_Position = vec4(corner, 1.0, 1.0);
}
