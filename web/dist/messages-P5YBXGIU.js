import{a,b,c}from"./chunk-KZSVAMJT.js";import"./chunk-DTGVUE5H.js";c();export{a as default,b as useLate};
