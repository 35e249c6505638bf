import{a,b,c}from"./chunk-L5PI6CEF.js";import"./chunk-RZXHXUZY.js";c();export{b as Push,a as renewPush};
