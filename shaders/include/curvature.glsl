#include "frame.glsl"

// Where the round earth has the camera-relative point `place` of the flat land: d² / 2R lower.
vec3 round_earth(vec3 place) {
    return vec3(place.x, place.y - sea.w * dot(place.xz, place.xz), place.z);
}

// The rounded land is met by a ray where the flat one is met by a parabola: distance along `ray` (any length, in
// lengths of it) to the level `height` above the camera, or −1 where it passes over it. For eyes above the level.
float meet_level(vec3 ray, float height) {
    float across2 = sea.w * dot(ray.xz, ray.xz);
    float square = ray.y * ray.y + 4.0 * across2 * height;
    if (ray.y >= 0.0 || square < 0.0) return -1.0;
    // The nearer root, written without a difference of near numbers; on flat land it is height / ray.y.
    return -2.0 * height / (sqrt(square) - ray.y);
}

// Rise over run of the line from the eye to the horizon of the sea: 0 on flat land, below on the round earth.
float horizon_slope() {
    return -2.0 * sqrt(sea.w * max(-sea.x, 0.0));
}
