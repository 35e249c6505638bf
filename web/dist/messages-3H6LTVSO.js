import{a,b,c}from"./chunk-IJ2MMQIL.js";import"./chunk-3S6HH2FD.js";c();export{a as default,b as useLate};
