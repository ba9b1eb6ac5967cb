// Linear albedos of what the land is made of, chosen by eye, and the scales of noise that mix them.

const vec3 STRAW = vec3(0.206, 0.190, 0.080);
const vec3 LUSH = vec3(0.116, 0.174, 0.046);
const vec3 ALPINE = vec3(0.182, 0.172, 0.078);
const vec3 NEEDLES = vec3(0.130, 0.110, 0.058);
const vec3 CANOPY = vec3(0.034, 0.062, 0.024);
const vec3 CANOPY_WARM = vec3(0.082, 0.106, 0.034);
const vec3 ROCK = vec3(0.268, 0.246, 0.220);
const vec3 ROCK_DARK = vec3(0.092, 0.084, 0.077);
const vec3 ROCK_RED = vec3(0.360, 0.205, 0.120);
const vec3 SCREE = vec3(0.262, 0.240, 0.208);
const vec3 SAND = vec3(0.500, 0.410, 0.255);
const vec3 DUNE = vec3(0.560, 0.385, 0.195);
const vec3 SNOW = vec3(0.700, 0.735, 0.790);
const vec3 SILT = vec3(0.205, 0.176, 0.122);
const vec3 WEED = vec3(0.062, 0.078, 0.034);
const vec3 GOLD = vec3(0.235, 0.135, 0.026);
const vec3 RUST = vec3(0.190, 0.066, 0.020);
const vec3 TWIGS = vec3(0.110, 0.088, 0.070);
const vec3 SOIL = vec3(0.150, 0.110, 0.068);

const vec2 FINE = vec2(412.0, 287.0);   // 8.2 m
const vec2 MIDDLE = vec2(-27.0, 58.0);  // 64 m
const vec2 BROAD = vec2(13.0, -9.0);    // 259 m
const vec2 WIDE = vec2(5.0, 6.0);       // 524 m
const vec2 WALL = vec2(37.0, 49.0) / TILE_PERIOD_M;        // 111 m along, 84 m up
const vec2 WALL_FINE = vec2(331.0, 401.0) / TILE_PERIOD_M; // 12 m along, 10 m up
const vec2 HUGE = vec2(1.0, -2.0);      // 1832 m
