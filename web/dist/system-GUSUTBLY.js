import{a,b,c}from"./chunk-BLTFKQRA.js";import"./chunk-LXNVQYOV.js";import"./chunk-QNNZSPSD.js";c();export{a as default,b as engine};
