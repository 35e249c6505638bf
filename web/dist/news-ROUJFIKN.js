import{a,b,c}from"./chunk-VN63V2TK.js";import"./chunk-REX6MET3.js";c();export{b as default,a as tabs};
