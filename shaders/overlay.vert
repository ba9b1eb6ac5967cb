// A ribbon of constant width on the screen through points on the land.
#include "curvature.glsl"

layout(location = 0) in vec4 point;  // relative to the camera; w: side of the ribbon, −1 or 1
layout(location = 1) in vec4 ahead;  // the next point; w: opacity

uniform float half_width;  // pixels

out float v_side;
out float v_opacity;

const float TOWARD_EYE = 0.012;  // share of the distance by which it is drawn nearer, so that facets do not cut it

void main() {
    vec3 at = round_earth(point.xyz);
    vec4 here = view_projection * vec4(at, 1.0);
    vec4 next = view_projection * vec4(round_earth(ahead.xyz), 1.0);
    vec2 along = (next.xy * here.w - here.xy * next.w) * viewport.xy;
    along /= max(length(along), 1e-6);
    vec2 normal = vec2(-along.y, along.x) * point.w;
    vec4 nearer = view_projection * vec4(at * (1.0 - TOWARD_EYE), 1.0);
    gl_Position = here;
    gl_Position.xy += normal * (half_width + 1.0) * 2.0 * viewport.zw * here.w;
    gl_Position.z = here.w > 0.0 ? nearer.z / max(nearer.w, 1e-4) * here.w : here.z;
    v_side = point.w * (half_width + 1.0);
    v_opacity = ahead.w;
}
