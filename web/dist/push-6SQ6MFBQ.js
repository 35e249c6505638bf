import{a,b,c}from"./chunk-YEUIZTHE.js";import"./chunk-BKMNMJ4E.js";c();export{b as Push,a as renewPush};
