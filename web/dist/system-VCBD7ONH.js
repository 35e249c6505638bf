import{a,b,c}from"./chunk-ZP25K7QQ.js";import"./chunk-K5F3OB7D.js";import"./chunk-RZXHXUZY.js";c();export{a as default,b as engine};
