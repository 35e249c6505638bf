import{a,b,c}from"./chunk-JTANAADL.js";import"./chunk-NMUK7DXM.js";c();export{a as default,b as useLate};
