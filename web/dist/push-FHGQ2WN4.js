import{a,b,c}from"./chunk-HYCVUU37.js";import"./chunk-GOKVTJ5P.js";c();export{b as Push,a as renewPush};
