import{a,b,c}from"./chunk-DZY3MAUH.js";import"./chunk-QNNZSPSD.js";c();export{b as Push,a as renewPush};
