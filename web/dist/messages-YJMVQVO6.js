import{a,b,c}from"./chunk-5AX2WXPS.js";import"./chunk-U3GKYPL2.js";c();export{a as default,b as useLate};
