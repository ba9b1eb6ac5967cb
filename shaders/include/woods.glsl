// What share of the trees that the recipe's climate grows still stands in the climate of now, by the rule of
// kernels/scatter.py. `climate` is a page's texel: midsummer's temperature and humidity.
float standing_share(vec4 climate) {
    float celsius = climate.r * 60.0 - 20.0;
    vec2 here = vec2(celsius, climate.g);
    vec2 before = clamp((here - forest.xz) / (forest.yw - forest.xz), 0.02, 1.0);
    vec2 now = clamp((here + vec2(season.z, leaves.w) - forest.xz) / (forest.yw - forest.xz), 0.0, 1.0);
    // No warmer than the recipe nothing has changed, whatever the rounding.
    vec2 share = mix(min(now / before, 1.0), vec2(1.0), greaterThanEqual(vec2(season.z, leaves.w), vec2(0.0)));
    return share.x * share.y;
}
