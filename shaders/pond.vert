// A cell of standing water: a square at its level. The land cuts the waterline.
#include "curvature.glsl"

layout(location = 0) in vec4 pool;  // column, row, level, water 1 or rim 0

uniform vec4 runoff_window;   // corner x, z relative to the camera; level of the camera

out vec3 v_place;
out float v_forward;

void main() {
    vec2 corner = vec2(gl_VertexID == 1 || gl_VertexID == 2 || gl_VertexID == 4, gl_VertexID >= 2 && gl_VertexID != 3);
    vec2 place = runoff_window.xy + (pool.xy + corner - 0.5) * CELL_M;
    v_place = vec3(place.x, pool.z - camera.y, place.y);
    gl_Position = view_projection * vec4(round_earth(v_place), 1.0);
    v_forward = gl_Position.w;
}
