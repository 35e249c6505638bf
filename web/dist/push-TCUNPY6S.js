import{a,b,c}from"./chunk-4UF3Y22W.js";import"./chunk-5H5K2FAG.js";c();export{b as Push,a as renewPush};
