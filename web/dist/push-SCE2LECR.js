import{a,b,c}from"./chunk-BFMAUWXW.js";import"./chunk-4FJQJHQU.js";c();export{b as Push,a as renewPush};
