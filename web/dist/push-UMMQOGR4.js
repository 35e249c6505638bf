import{a,b,c}from"./chunk-AD3Y26A3.js";import"./chunk-DTGVUE5H.js";c();export{b as Push,a as renewPush};
