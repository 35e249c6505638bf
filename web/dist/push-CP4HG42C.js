import{a,b,c}from"./chunk-5ANEY6ZA.js";import"./chunk-REX6MET3.js";c();export{b as Push,a as renewPush};
