import{a,b,c}from"./chunk-R6AKEV7B.js";import"./chunk-IXUJ4IXL.js";import"./chunk-WXQVR26E.js";c();export{a as default,b as engine};
