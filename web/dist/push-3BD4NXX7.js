import{a,b,c}from"./chunk-5LAQQL4U.js";import"./chunk-HCVERMU2.js";c();export{b as Push,a as renewPush};
