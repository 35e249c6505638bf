import{a,b,c}from"./chunk-7EHTUHDU.js";import"./chunk-O2OVPS25.js";c();export{a as default,b as useLate};
