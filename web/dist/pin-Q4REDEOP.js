import{a,b,c}from"./chunk-AHRVXRLK.js";import"./chunk-RZXHXUZY.js";c();export{a as SetPIN,b as default};
