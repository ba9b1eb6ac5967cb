// One vertex of the grid patch: integer metres from the camera's anchor, so that shared edges of any two levels
// have equal bits, morphed as a whole toward the even neighbour.
#include "frame.glsl"
#include "curvature.glsl"
#include "morph.glsl"
#include "normals.glsl"
#include "shade.glsl"

layout(location = 0) in ivec2 grid;
layout(location = 1) in ivec4 corner;  // origin x, z in metres from the anchor; sample of the corner in its page
layout(location = 2) in ivec2 page;    // layer, level

uniform sampler2DArray page_heights;
uniform sampler2DArray page_climate;

out vec3 v_place;         // on the flat land: what is painted on it must not know the earth's curve
out vec3 v_parent_normal;
out vec4 v_climate;
out vec3 v_texel;        // where in the page this is, in samples with apron; morph factor
flat out int v_layer;
out float v_sun;          // share of the light that mountains let pass

void main() {
    int level = page.y;
    ivec2 even = grid - (grid & 1);
    ivec3 own_texel = ivec3(corner.zw + grid + APRON, page.x);
    ivec3 even_texel = ivec3(corner.zw + even + APRON, page.x);
    vec2 own_place = vec2(corner.xy + (grid << level)) - camera.xz;
    vec2 even_place = vec2(corner.xy + (even << level)) - camera.xz;
    float k = morph_factor(own_place, level);

    float own_height = texelFetch(page_heights, own_texel, 0).r;
    float parent_height = texelFetch(page_heights, even_texel, 0).g;
    vec2 place = morph_mix(own_place, even_place, k);
    float height = morph_mix(own_height, parent_height, k);

    v_parent_normal = unpack_normal(texelFetch(page_normals, even_texel, 0).ba);
    v_texel = vec3(morph_mix(vec2(own_texel.xy), vec2(even_texel.xy), k), k);
    v_layer = page.x;
    v_climate = mix(texelFetch(page_climate, own_texel, 0), texelFetch(page_climate, even_texel, 0), k);

    v_place = vec3(place.x, height - camera.y, place.y);
    v_sun = mountain_light(v_place);
    vec4 position = vec4(round_earth(v_place), 1.0);
#if FAR_BAND > 0
    gl_Position = view_projection_far * position;
#else
    gl_Position = view_projection * position;
#endif
}
