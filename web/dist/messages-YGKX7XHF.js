import{a,b,c}from"./chunk-MRCTQZMK.js";import"./chunk-ZSVQMGKL.js";c();export{a as default,b as useLate};
