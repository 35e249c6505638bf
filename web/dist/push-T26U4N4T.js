import{a,b,c}from"./chunk-LYD5XAER.js";import"./chunk-IIKMONSJ.js";c();export{b as Push,a as renewPush};
