// Standing water over the finished scene. Premultiplied alpha out.
#include "frame.glsl"
#include "depth.glsl"
#include "runoff.glsl"

in vec3 v_place;
in float v_forward;
layout(location = 0) out vec4 out_colour;

void main() {
    float scene_m = scene_forward_m(gl_FragCoord.xy * viewport.zw);
    if (scene_m <= v_forward) discard;
    float distance_m = length(v_place);
    vec3 eye = -v_place / max(distance_m, 1e-3);
    vec2 world = tile_position(v_place.xz);
    // The land seen through the surface lies on the same ray.
    float depth_m = max(v_place.y - v_place.y * (scene_m / v_forward), 0.0);
    float through_m = distance_m * (scene_m / v_forward - 1.0);

    vec2 breeze = tile_slope(texture(noise_tile, tile_uv(world, vec2(412.0, 287.0)) + vec2(0.0, camera.w * 0.0625)), vec2(412.0, 287.0));
    vec2 slope = breeze * 0.02 / (1.0 + distance_m / 60.0);
    if (rainfall.y > 0.0 && distance_m < 40.0) {
        slope += drop_rings(world, rainfall.y * 2.0 + 0.15) * (1.0 - smoothstep(15.0, 40.0, distance_m)) * 0.7;
    }
    vec3 normal = normalize(vec3(slope.x, 1.0, slope.y));
    float facing = clamp(dot(normal, eye), 0.0, 1.0);
    float fresnel = 0.02 + 0.98 * pow(1.0 - facing, 5.0);
    vec3 mirrored = reflect(-eye, normal);
    mirrored.y = abs(mirrored.y);
    vec3 reflection = sky_colour(mirrored) * mix(0.40, 1.0, smoothstep(0.03, 0.26, mirrored.y));
    float glint = max(dot(mirrored, light_direction.xyz), 0.0);
    reflection += light_colour.rgb * (pow(glint, 900.0) * 6.0 + pow(glint, 90.0) * 0.2);

    float clear = exp(-depth_m / 0.55 - through_m / 6.0);
    vec3 body = light_surface(MURK * 0.8, vec3(0.0, 1.0, 0.0), 1.0, 1.0);
    float opaque = 1.0 - clear * (1.0 - fresnel);
    vec3 colour = body * (1.0 - clear) * (1.0 - fresnel) + reflection * fresnel;
    vec3 kept = haze_transmittance(v_place, distance_m);
    colour = colour * kept + sky_colour(-eye) * (1.0 - kept) * opaque;
    float edge = smoothstep(0.0, 0.05 + 0.0008 * distance_m, depth_m);
    out_colour = vec4(colour, opaque) * edge;
}
