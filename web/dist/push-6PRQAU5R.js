import{a,b,c}from"./chunk-22F5WKDN.js";import"./chunk-57WFRSBU.js";c();export{b as Push,a as renewPush};
