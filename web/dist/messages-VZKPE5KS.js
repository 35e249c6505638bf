import{a,b,c}from"./chunk-TRIPN56F.js";import"./chunk-WXQVR26E.js";c();export{a as default,b as useLate};
