import{a,b,c}from"./chunk-JNR2RMU5.js";import"./chunk-7F5WRZ6E.js";c();export{b as Push,a as renewPush};
