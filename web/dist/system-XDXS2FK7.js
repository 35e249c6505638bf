import{a,b,c}from"./chunk-ZXOCVA6X.js";import"./chunk-W3PPFJXJ.js";import"./chunk-DTGVUE5H.js";c();export{a as default,b as engine};
