import{a,b,c}from"./chunk-N7D5DZJH.js";import"./chunk-VH63SMTT.js";c();export{b as Push,a as renewPush};
