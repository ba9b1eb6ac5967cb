// The soft shadow under the rider: a square on the land, drawn a little toward the eye so that bumps do not cut it.
#include "frame.glsl"

uniform vec3 centre;  // relative to the camera
uniform vec3 ahead;   // unit, along the heading, in the plane of the land
uniform vec3 aside;   // unit, to the right, in the plane of the land

out vec2 v_where;  // metres to the right and ahead
out vec3 v_at;     // relative to the camera

const vec2 CORNERS[6] = vec2[6](vec2(-1, -1), vec2(1, -1), vec2(1, 1), vec2(-1, -1), vec2(1, 1), vec2(-1, 1));
const float HALF = 2.0;
const float TOWARD_EYE = 0.30;

void main() {
    v_where = CORNERS[gl_VertexID] * HALF;
    vec3 at = centre + aside * v_where.x + ahead * v_where.y;
    v_at = at;
    vec4 nearer = view_projection * vec4(at * (1.0 - min(TOWARD_EYE / length(at), 0.5)), 1.0);
    gl_Position = view_projection * vec4(at, 1.0);
    gl_Position.z = nearer.z / nearer.w * gl_Position.w;
}
