// Falling drops in a box that wraps around the camera, and what the wheels throw up. One instance a drop; no buffers.
#include "frame.glsl"
#include "tile.glsl"

uniform vec3 motion;     // velocity of the camera, m/s
uniform vec4 splash;     // where the wheels meet the water, relative to the camera; how much
uniform vec2 ahead;      // the rider's heading on the map
uniform int splashes;    // instances of those

out vec2 v_side;
out float v_forward;
out float v_faint;

const vec3 BOX = vec3(32.0, 16.0, 32.0);
const vec3 FALL = vec3(1.5, -9.0, 0.75);   // whole boxes in TIME_PERIOD_S
const float SHUTTER_S = 0.035;

vec3 chances(float n) {
    vec3 q = fract(n * vec3(0.1031, 0.11369, 0.13787) + vec3(0.31, 0.17, 0.73));
    q += dot(q, q.yxz + 19.19);
    return fract(vec3((q.x + q.y) * q.z, (q.x + q.z) * q.y, (q.y + q.z) * q.x));
}

void main() {
    vec3 chance = chances(float(gl_InstanceID % 4096) + 0.37 * float(gl_InstanceID / 4096));
    vec3 place;
    vec3 streak;
    float half_width;
    if (gl_InstanceID < splashes) {
        float age = fract(camera.w * 2.0 + chance.x);
        float t = age * 0.5;
        vec2 aside = vec2(-ahead.y, ahead.x) * (chance.y < 0.5 ? -1.0 : 1.0);
        vec2 over = aside * (0.5 + 1.9 * chance.z) + ahead * (1.2 * fract(chance.y * 2.0) - 0.5);
        vec3 v = vec3(over.x, 1.0 + 2.4 * fract(chance.z * 5.3 + chance.y), over.y);
        v *= 0.55 + 0.65 * splash.w;
        // Half from each wheel.
        float wheel = fract(chance.y * 7.7) < 0.5 ? -0.55 : 0.55;
        place = splash.xyz + vec3(ahead.x, 0.0, ahead.y) * wheel + v * t + vec3(0.0, -4.9 * t * t, 0.0);
        streak = (v + vec3(0.0, -9.8 * t, 0.0)) * 0.02;
        half_width = 0.014;
        v_faint = (1.0 - age) * 0.8;
    } else {
        vec2 on_map = tile_position(vec2(0.0));
        vec3 eye = vec3(on_map.x, mod(camera.y, BOX.y), on_map.y);
        place = (fract((chance * BOX + FALL * camera.w - eye) / BOX) - 0.5) * BOX;
        streak = (FALL - motion) * SHUTTER_S;
        half_width = 0.0028;
        float reach = length(place);
        v_faint = 0.55 * smoothstep(0.6, 2.0, reach) * (1.0 - smoothstep(11.0, 16.0, reach));
    }
    int corner = gl_VertexID;
    float along = corner >= 2 && corner != 3 ? 1.0 : 0.0;
    float across = corner == 1 || corner == 2 || corner == 4 ? 1.0 : -1.0;
    vec3 at = place + streak * along;
    vec4 here = view_projection * vec4(at, 1.0);
    vec4 next = view_projection * vec4(place + streak * (along + 1.0), 1.0);
    vec2 way = (next.xy * here.w - here.xy * next.w) * viewport.xy;
    way /= max(length(way), 1e-6);
    // Never thinner than most of a pixel; what is thinner is fainter instead.
    float pixels = 0.5 * half_width * viewport.y / (max(here.w, 0.1) * length(ray_up.xyz));
    float shown = max(pixels, 0.55);
    v_faint *= sqrt(min(pixels / shown, 1.0));
    here.xy += vec2(-way.y, way.x) * across * (shown * 2.0) * viewport.zw * here.w;
    gl_Position = here;
    v_side = vec2(across, along);
    v_forward = here.w;
}
