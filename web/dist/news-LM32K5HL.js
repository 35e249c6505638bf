import{a,b,c}from"./chunk-ZDQMCDOZ.js";import"./chunk-3S6HH2FD.js";c();export{b as default,a as tabs};
