import{a,b,c}from"./chunk-EWPBL6DE.js";import"./chunk-EFOLT2H7.js";import"./chunk-O2OVPS25.js";c();export{a as default,b as engine};
