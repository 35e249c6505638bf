import{a,b,c}from"./chunk-YFCZNQ67.js";import"./chunk-DTGVUE5H.js";c();export{a as SetPIN,b as default};
