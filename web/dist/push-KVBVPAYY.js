import{a,b,c}from"./chunk-LU47V4DI.js";import"./chunk-N5A6VUJA.js";c();export{b as Push,a as renewPush};
