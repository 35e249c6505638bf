import{a,b,c}from"./chunk-NWRITMQB.js";import"./chunk-ZSVQMGKL.js";c();export{b as Push,a as renewPush};
