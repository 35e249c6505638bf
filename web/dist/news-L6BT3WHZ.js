import{a,b,c}from"./chunk-S6S2BMXX.js";import"./chunk-SM5NGPOV.js";c();export{b as default,a as tabs};
