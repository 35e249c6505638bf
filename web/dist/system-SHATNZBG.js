import{a,b,c}from"./chunk-YQMH2BCG.js";import"./chunk-K6NP7HSY.js";import"./chunk-3S6HH2FD.js";c();export{a as default,b as engine};
