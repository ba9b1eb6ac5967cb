// Unit normals of the pages: own x, z in RG at every sample, the parent's in BA at even samples.
uniform sampler2DArray page_normals;

vec3 unpack_normal(vec2 xz) {
    vec2 n = xz * (255.0 / 127.5) - 1.0;
    return vec3(n.x, sqrt(max(1.0 - dot(n, n), 0.0)), n.y);
}

// Own normal between samples. Filtering the texture instead of interpolating over triangles keeps the diagonal
// of the mesh out of the shading: along a sharp crest it would show as a comb.
vec3 own_normal(vec2 texel, int layer) {
    vec2 size = vec2(textureSize(page_normals, 0).xy);
    return unpack_normal(texture(page_normals, vec3((texel + 0.5) / size, float(layer))).rg);
}
