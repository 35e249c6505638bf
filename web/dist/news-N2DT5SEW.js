import{a,b,c}from"./chunk-35ENHKWZ.js";import"./chunk-5H5K2FAG.js";c();export{b as default,a as tabs};
