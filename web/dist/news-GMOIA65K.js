import{a,b,c}from"./chunk-Z2A4UVKO.js";import"./chunk-2WWN6WQ5.js";c();export{b as default,a as tabs};
